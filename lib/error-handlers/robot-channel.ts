/**
 * The shared parts of the robots of WeCom and DingTalk: a text is posted to a webhook, which answers with `errcode`.
 */
import { isMap } from '../api/text/describe-value.js';
import { type Clock } from '../time/clock.js';
import { DeliveryError } from './delivery-error.js';
import { postJson } from './http-post.js';
import { type ChannelSettings, DEFAULT_DIGEST_MS } from './notice-channel.js';
import { type PropsReader } from './props-reader.js';

/** Settings of a robot. */
export interface RobotSettings extends ChannelSettings {
  readonly webhook: URL;
  readonly connectTimeoutMs: number;
  readonly readTimeoutMs: number;
}

/** Statuses besides 5xx after which another attempt may succeed: a timeout, too early, too many requests. */
const TRANSIENT_STATUSES: readonly number[] = [408, 425, 429];

/** Shorter parts of a webhook, in characters, are no keys. */
const SHORTEST_KEY = 4;

const PLACEHOLDER = new URL('http://0.0.0.0');

/** Reads the properties that all robots have; `prefix` is `wechat` or `dingtalk`. */
export function robotSettings(reader: PropsReader, prefix: string): RobotSettings {
  const webhook = reader.url(`${prefix}.webhook`);
  const connectTimeoutMs = reader.positive(`${prefix}.connectTimeoutMilliseconds`, 3_000);
  const readTimeoutMs = reader.positive(`${prefix}.readTimeoutMilliseconds`, 5_000);
  return {
    webhook: webhook ?? PLACEHOLDER,
    connectTimeoutMs,
    readTimeoutMs,
    digestMs: reader.positive(`${prefix}.digestIntervalMilliseconds`, DEFAULT_DIGEST_MS),
    attemptMs: connectTimeoutMs + 2 * readTimeoutMs,
    secrets: webhook === undefined ? [] : secretsIn(webhook),
  };
}

/** The parts of a webhook that must stay secret. Shorter parts are no keys, and occur in any text. */
function secretsIn({ href, pathname, searchParams, password }: URL): readonly string[] {
  // The path too, as some webhooks have their key there.
  return [href, pathname, password, ...searchParams.values()].filter((text) => text.length >= SHORTEST_KEY);
}

/** A text for a robot, and the rules of its service. */
export interface RobotPost {
  readonly url: URL;
  readonly content: string;
  readonly settings: RobotSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The robot's codes for errors after which another attempt may succeed, such as too many messages. */
  readonly transientCodes: readonly string[];
}

/** Posts a text message. @throws DeliveryError unless the robot answers with `errcode` 0 */
export async function postToRobot(post: RobotPost): Promise<void> {
  const { url, content, settings, clock, signal, transientCodes } = post;
  const { connectTimeoutMs, readTimeoutMs } = settings;
  const body = JSON.stringify({ msgtype: 'text', text: { content } });
  const answer = await postJson(url, { body, clock, connectTimeoutMs, readTimeoutMs, signal });
  if (answer.status !== 200) {
    const isTransient = answer.status >= 500 || TRANSIENT_STATUSES.includes(answer.status);
    const reason = `unexpected http response status: ${answer.status}`;
    throw new DeliveryError(reason, isTransient ? 'transient' : 'final');
  }
  const { errcode, errmsg } = errorIn(answer.body);
  if (errcode === '0') return;
  throw new DeliveryError(errmsg, transientCodes.includes(errcode) ? 'transient' : 'final');
}

function errorIn(body: string): { readonly errcode: string; readonly errmsg: string } {
  const answer = parsed(body);
  if (!isMap(answer) || !['string', 'number'].includes(typeof answer['errcode']))
    throw new DeliveryError('the answer is no JSON with an errcode', 'transient');
  const { errcode, errmsg } = answer;
  return { errcode: String(errcode), errmsg: typeof errmsg === 'string' ? errmsg : `errcode ${String(errcode)}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports an answer that is no JSON.
    return undefined;
  }
}
