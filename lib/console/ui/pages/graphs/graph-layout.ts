import dagre from '@dagrejs/dagre';
import { type GraphDetail } from '../../../contract/graphs.js';

/** The size of a job in the drawing, in pixels. */
export const NODE = { width: 196, height: 64 } as const;

/** The corner of each job at the top left, by name, and the size of the whole drawing, in pixels. */
export interface GraphLayout {
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly width: number;
  readonly height: number;
}

/**
 * Places the jobs of a graph in layers, so that few lines cross.
 * @param direction `across` for a wide window, `down` for a narrow one
 */
export function layoutOf({ nodes, edges }: GraphDetail, direction: 'across' | 'down'): GraphLayout {
  const drawing = new dagre.graphlib.Graph();
  const isAcross = direction === 'across';
  drawing.setGraph({ rankdir: isAcross ? 'LR' : 'TB', nodesep: isAcross ? 22 : 26, ranksep: isAcross ? 64 : 48 });
  drawing.setDefaultEdgeLabel(() => ({}));
  for (const { jobName } of nodes) drawing.setNode(jobName, { ...NODE });
  for (const { from, to } of edges) drawing.setEdge(from, to);
  dagre.layout(drawing);
  const places = new Map(
    nodes.map(({ jobName }) => {
      const { x = 0, y = 0 } = drawing.node(jobName) as { readonly x?: number; readonly y?: number };
      return [jobName, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
    }),
  );
  const { width = 0, height = 0 } = drawing.graph() as { readonly width?: number; readonly height?: number };
  return { places, width, height };
}
