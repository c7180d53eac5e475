import { type RegistryCenter, type SessionState } from '../../registry/registry-center.js';
import { seconds } from '../connection/open-registry.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { printable } from '../terminal/text.js';
import { type Feed, jobFeed, jobsFeed } from './feeds.js';
import { Screen } from './screen.js';

/** Options of `watch`. */
export interface WatchOptions {
  /** Pause between two readings of all jobs, in milliseconds. A job is followed without pauses. */
  readonly interval: number;
}

/** Changes within this many milliseconds are shown together. */
const SHOWN_AFTER_MS = 50;
/** The milliseconds between two updates of the clock on the screen. */
const TICK_MS = 1_000;

/**
 * `watch [job]`: a live table of a job's items, or of all jobs. On a terminal it is drawn again at each change, until q
 * or Ctrl-C; elsewhere each change is written as a table, or with `--json` as a line.
 */
export async function watch(
  invocation: Invocation,
  jobName: string | undefined,
  { interval: intervalMs }: WatchOptions,
): Promise<ExitCode> {
  const { clock, terminal } = invocation.surroundings;
  const registry = await invocation.registry();
  const feed = await (jobName === undefined ? jobsFeed(registry, { clock, intervalMs }) : jobFeed(registry, jobName));
  using screen = terminal.out.isTerminal && !invocation.output.isJson ? new Screen(terminal) : undefined;
  const watched = { invocation, registry, feed };
  try {
    return screen === undefined
      ? await untilEnded(watched, { show: changesOf(watched), goesOn: false })
      : await untilEnded(watched, { show: () => draw(screen, watched), goesOn: true });
  } finally {
    feed.close();
  }
}

interface Watched {
  readonly invocation: Invocation;
  readonly registry: RegistryCenter;
  readonly feed: Feed;
}

interface Showing {
  readonly show: () => void;
  /** True continues during an outage, as a person sees it and can end the command. */
  readonly goesOn: boolean;
}

function untilEnded({ invocation, registry, feed }: Watched, { show, goesOn }: Showing): Promise<ExitCode> {
  const { options, surroundings } = invocation;
  const { clock, terminal } = surroundings;
  return new Promise((resolve, reject) => {
    const timers = { look: nothing, tick: nothing, deadline: nothing };
    const subscriptions: (() => void)[] = [];
    const end = (settle: () => void): void => {
      for (const cancel of [...subscriptions, ...Object.values(timers)]) cancel();
      settle();
    };
    const look = (): void => {
      timers.look = nothing;
      try {
        show();
      } catch (error) {
        end(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    };
    const lookSoon = (): void => {
      if (timers.look === nothing) timers.look = clock.after(SHOWN_AFTER_MS, look);
    };
    const tick = (): void => {
      timers.tick = clock.after(TICK_MS, tick);
      if (goesOn) lookSoon();
    };
    const onSession = (state: SessionState): void => {
      timers.deadline();
      timers.deadline = nothing;
      const ended = endOf(state, registry);
      if (ended !== undefined) end(() => reject(ended));
      else if (state.phase !== 'connected' && !goesOn)
        timers.deadline = clock.after(options.timeout, () => end(() => reject(lost(registry, options.timeout))));
      lookSoon();
    };
    subscriptions.push(
      feed.onChange(lookSoon),
      registry.session.onChange(onSession),
      terminal.onEnd(() => end(() => resolve(EXIT.done))),
      terminal.onResize(lookSoon),
    );
    tick();
    look();
  });
}

const nothing = (): void => undefined;

function endOf(state: SessionState, { description }: RegistryCenter): Error | undefined {
  if (state.phase !== 'closed') return undefined;
  return state.refusal ?? new CommandError(EXIT.unreachable, `${description}: ${state.reason}`);
}

function lost({ description, session }: RegistryCenter, timeoutMs: number): CommandError {
  const { reason = 'no server answers' } = session;
  return new CommandError(
    EXIT.unreachable,
    `The connection to ${description} is lost for ${seconds(timeoutMs)}: ${reason}.`,
  );
}

function draw(screen: Screen, { invocation, registry, feed }: Watched): void {
  const { output, surroundings } = invocation;
  const { now } = feed;
  const { state, reason = state.phase } = registry.session;
  const time = new Date(surroundings.clock.now()).toISOString().slice(11, 19);
  const isConnected = state.phase === 'connected';
  const connection = isConnected
    ? registry.description
    : `${registry.description}: no connection (${reason}). The table may be out of date.`;
  screen.draw([`${time}Z  ${printable(now.title)}`, printable(connection)], now.table(output));
}

/** Returns a function that writes the table again if it has changed since the last call. */
function changesOf({ invocation, feed }: Watched): () => void {
  const { output, surroundings } = invocation;
  let last = '';
  return () => {
    const { now } = feed;
    const text = JSON.stringify(now.json);
    if (text === last) return;
    last = text;
    const at = new Date(surroundings.clock.now()).toISOString();
    if (output.isJson) output.json({ at, ...now.json });
    else output.text(`${at}  ${printable(now.title)}\n\n${now.table(output)}\n`);
  };
}
