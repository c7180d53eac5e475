import { type Event } from './history.js';

/** A step as a scenario writes it. */
export function textOf(event: Event): string {
  return 'job' in event ? `${event.job}: ${plainTextOf(event)}` : plainTextOf(event);
}

function plainTextOf(event: Event): string {
  switch (event.type) {
    case 'join':
      return event.skewMs === 0 ? `join ${event.name}` : `join ${event.name} clock=${event.skewMs}ms`;
    case 'kill-at-write':
      return `kill ${event.name} ${event.when} write ${event.nth}`;
    case 'lose-write':
      return `lose ${event.name} write ${event.nth} ${event.outcome}`;
    case 'suspend':
    case 'freeze':
      return `${event.type} ${event.name} for ${event.ms}ms`;
    case 'cut':
      return `cut ${event.name} ${event.direction} for ${event.ms}ms`;
    case 'set-clock':
      return `clock ${event.name} ${event.skewMs}ms`;
    case 'disable-item':
    case 'enable-item':
      return `${event.type} ${event.item}`;
    case 'reconfigure':
      return `reconfigure ${Object.entries(event.change)
        .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
        .join(' ')}`;
    case 'trigger':
      return event.item === undefined ? 'trigger' : `trigger item ${event.item}`;
    case 'hear-late':
      return `${event.name} hears of changes every ${event.everyMs}ms, for ${event.ms}ms`;
    case 'prolong-sessions':
      return 'prolong the sessions';
    case 'wipe':
      return `wipe the registry, away for ${event.ms}ms`;
    case 'fail-strategy':
      return `fail the strategy for ${event.ms}ms`;
    case 'fail-logger':
      return `fail the logger of ${event.name} for ${event.ms}ms`;
    default:
      return `${event.type} ${event.name}`;
  }
}
