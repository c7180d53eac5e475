import { type WriteStream } from 'node:tty';
import { REGIONS } from '../orders/region.entity.js';
import { type Run } from '../orders/run.entity.js';

/** An item, its instance and the number of its runs. */
interface Row {
  instance: string;
  firings: number;
  orders: number;
}

/** Shows the instance of each item: a table that is redrawn in a terminal, or else a line for each change. */
export class Screen {
  readonly #output: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>;
  readonly #rows = new Map<number, Row>();
  readonly #notes: string[] = [];
  #drawnLines = 0;

  constructor(output: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>) {
    this.#output = output;
  }

  /** The instances by item, of the last shown runs. */
  get owners(): ReadonlyMap<number, string> {
    return new Map([...this.#rows].map(([item, { instance }]) => [item, instance]));
  }

  /** Shows a run of the sharded job. */
  show(run: Run): void {
    const before = this.#rows.get(run.item);
    this.#rows.set(run.item, {
      instance: run.instance,
      firings: (before?.firings ?? 0) + 1,
      orders: (before?.orders ?? 0) + run.orders,
    });
    if (before?.instance !== run.instance && this.#output.isTTY !== true) {
      this.#write(
        `  item ${run.item} ${(REGIONS[run.item] ?? '').padEnd(8)} ${before?.instance ?? '-'} → ${run.instance}\n`,
      );
    }
    this.#draw();
  }

  /** Writes a note below the table. */
  say(note: string): void {
    this.#notes.push(note);
    if (this.#output.isTTY === true) this.#draw();
    else this.#write(`${note}\n`);
  }

  #draw(): void {
    if (this.#output.isTTY !== true) return;
    const lines = [...table(this.#rows), '', ...this.#notes];
    const up = this.#drawnLines === 0 ? '' : `\u001b[${this.#drawnLines}A\u001b[J`;
    this.#drawnLines = lines.length;
    this.#write(`${up}${lines.join('\n')}\n`);
  }

  #write(text: string): void {
    this.#output.write(text);
  }
}

function table(rows: ReadonlyMap<number, Row>): readonly string[] {
  const line = (...[item, region, instance, firings, orders]: readonly string[]): string =>
    `  ${item?.padEnd(6)}${region?.padEnd(10)}${instance?.padEnd(10)}${firings?.padStart(7)}${orders?.padStart(9)}`;
  return [
    line('item', 'region', 'instance', 'firings', 'shipped'),
    ...REGIONS.map((region, item) => {
      const row = rows.get(item);
      return line(`${item}`, region, row?.instance ?? '-', `${row?.firings ?? 0}`, `${row?.orders ?? 0}`);
    }),
  ];
}
