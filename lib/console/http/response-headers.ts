import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Sets headers of answers, in Express and Fastify alike. */
@Injectable()
export class ResponseHeaders {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  /** @param response the response that `@Res({ passthrough: true })` gives */
  set(response: unknown, headers: Readonly<Record<string, string | readonly string[]>>): void {
    for (const [name, value] of Object.entries(headers))
      this.host.httpAdapter.setHeader(response, name, value as string);
  }
}
