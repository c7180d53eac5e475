/** Responses of Express and Fastify, as far as the console uses them itself. */
import { type ServerResponse } from 'node:http';

/** A response as `@Res()` gives it. */
export interface ConsoleResponse {
  /** Fastify: Node's own response. */
  readonly raw?: ServerResponse;
  /** Fastify: the headers that were set. */
  getHeaders?(): Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Fastify: from here on the response is the caller's to send. */
  hijack?(): unknown;
  /** Express and Fastify. */
  header(name: string, value: string): unknown;
}

/** Node's own response, to know when it is closed: it is still the framework's to send. */
export function nodeResponse(response: ConsoleResponse): ServerResponse {
  // Express: the response is Node's own.
  return response.raw ?? (response as unknown as ServerResponse);
}

/** Node's own response, with the headers that were set on it, which is the caller's to send and to end. */
export function rawResponse(response: ConsoleResponse): ServerResponse {
  const { raw } = response;
  if (raw === undefined) return nodeResponse(response);
  for (const [name, value] of Object.entries(response.getHeaders?.() ?? {}))
    if (value !== undefined) raw.setHeader(name, value);
  response.hijack?.();
  return raw;
}
