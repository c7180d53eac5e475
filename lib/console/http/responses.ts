/** The parts of Express' and Fastify's responses that the console uses. */
import { type ServerResponse } from 'node:http';

/** A response that `@Res()` gives. */
export interface ConsoleResponse {
  /** Fastify: Node's own response. */
  readonly raw?: ServerResponse;
  /** Fastify: the headers that were set. */
  getHeaders?(): Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Fastify: from this call on, the caller sends the response. */
  hijack?(): unknown;
  /** Express and Fastify. */
  header(name: string, value: string): unknown;
}

/** Node's own response, to notice when it is closed; the framework still sends it. */
export function nodeResponse(response: ConsoleResponse): ServerResponse {
  // Express: the response is Node's own.
  return response.raw ?? (response as unknown as ServerResponse);
}

/** Node's own response, with the headers that were set. The caller must send and end it. */
export function rawResponse(response: ConsoleResponse): ServerResponse {
  const { raw } = response;
  if (raw === undefined) return nodeResponse(response);
  for (const [name, value] of Object.entries(response.getHeaders?.() ?? {}))
    if (value !== undefined) raw.setHeader(name, value);
  response.hijack?.();
  return raw;
}
