import { keysBelow } from '../api/settings/property-keys.js';
import { createHmac } from 'node:crypto';
import { type Clock } from '../time/clock.js';
import { textOf } from './failure-text.js';
import { type NoticeChannel } from './notice-channel.js';
import { PropsReader } from './props-reader.js';
import { postToRobot, type RobotSettings, robotSettings } from './robot-channel.js';

/** Settings of a DingTalk robot. */
export interface DingtalkSettings extends RobotSettings {
  /** The word that a message must contain for the robot to accept it. */
  readonly keyword: string | undefined;
  /** Key of the signature. */
  readonly secret: string | undefined;
}

/** The longest text that DingTalk takes, in bytes of UTF-8. */
const LONGEST_TEXT = 20_000;

/** The codes for: too busy, too many messages. */
const TRANSIENT_CODES = ['-1', '130101', '130102', '410100'];

/** `DINGTALK`: the robot of a DingTalk group. Properties, texts, payload and signature are Java's. */
export function dingtalk(clock: Clock): NoticeChannel<DingtalkSettings> {
  return {
    type: 'DINGTALK',
    keys: keysBelow('dingtalk'),
    doubts: (props) =>
      props['dingtalk.secret'] === ''
        ? [
            'the property dingtalk.secret is empty, so that messages are not signed; leave it out if the robot demands no signature',
          ]
        : [],
    read: (props) => {
      const reader = new PropsReader(props);
      const robot = robotSettings(reader, 'dingtalk');
      const secret = reader.optional('dingtalk.secret');
      return reader.result({
        ...robot,
        secret,
        keyword: reader.optional('dingtalk.keyword'),
        secrets: [...robot.secrets, ...(secret === undefined ? [] : [secret])],
      });
    },
    send: async (notice, settings, signal) => {
      const { keyword = '', webhook, secret } = settings;
      const content = textOf({ ...notice, heading: keyword + notice.heading }, LONGEST_TEXT);
      const url = secret === undefined ? webhook : signed(webhook, secret, clock.now());
      await postToRobot({ url, content, settings, clock, signal, transientCodes: TRANSIENT_CODES });
      return undefined;
    },
    delivered: (job) => `An exception has occurred in Job '${job}', an dingtalk message been sent successful.`,
    failed: (job) => `An exception has occurred in Job '${job}' but failed to send dingtalk because of`,
  };
}

/**
 * The webhook with DingTalk's signature: HMAC-SHA256, by the secret, of the time in milliseconds, a line feed and the
 * secret.
 */
export function signed(webhook: URL, secret: string, timestamp: number): URL {
  const sign = createHmac('sha256', secret).update(`${timestamp}\n${secret}`, 'utf8').digest('base64');
  const url = new URL(webhook);
  url.search += `${url.search === '' ? '?' : '&'}timestamp=${timestamp}&sign=${encodeURIComponent(sign)}`;
  return url;
}
