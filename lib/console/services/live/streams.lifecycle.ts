import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { EventStreams } from './event-streams.js';

/** Ends the streams of events when the application stops, as its server waits for all connections to end. */
@Injectable()
export class StreamsLifecycle implements OnModuleDestroy, BeforeApplicationShutdown {
  constructor(@Inject(EventStreams) private readonly streams: EventStreams) {}

  onModuleDestroy(): void {
    this.streams.stop();
  }

  beforeApplicationShutdown(): void {
    this.streams.stop();
  }
}
