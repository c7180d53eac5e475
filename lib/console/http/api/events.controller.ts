import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { type Caller } from '../../security/callers/caller.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { EventStreams } from '../../services/live/event-streams.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { OnRegistry, type QueryOf } from './parameters.js';
import { queryText, readQuery } from '../requests.js';
import { type ConsoleResponse, rawResponse } from '../responses.js';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
} as const;

/** The live events of a registry centre. */
@Controller('api/v1/registries/:registry/events')
export class EventsController {
  constructor(@Inject(EventStreams) private readonly streams: EventStreams) {}

  /**
   * Changes as server-sent events; with `job`, also those of its items. `Last-Event-ID` continues an interrupted
   * stream.
   */
  @Get()
  @Permit('read')
  events(
    @OnRegistry() registry: ConsoleRegistry,
    @CurrentCaller() caller: Caller,
    @Res() response: ConsoleResponse,
    @Query() query: QueryOf<'job'>,
    @Headers('last-event-id') lastEventId?: string,
  ): void {
    const log = registry.events;
    const { job: jobName } = readQuery(query, { job: queryText });
    this.streams.admit(caller);
    const raw = rawResponse(response);
    raw.writeHead(200, HEADERS);
    raw.flushHeaders();
    const output = {
      write: (text: string) => raw.write(text),
      end: () => raw.end(),
      onDrain: (callback: () => void) => void raw.once('drain', callback),
    };
    const stream = this.streams.open(
      { log, caller, jobName, lastEventId: lastEventId === '' ? undefined : lastEventId },
      output,
    );
    raw.once('close', () => stream.closed());
    raw.on('error', () => stream.closed());
  }
}
