import { keysBelow } from '../api/settings/property-keys.js';
import { type Clock } from '../time/clock.js';
import { textOf } from './failure-text.js';
import { type NoticeChannel } from './notice-channel.js';
import { PropsReader } from './props-reader.js';
import { postToRobot, type RobotSettings, robotSettings } from './robot-channel.js';

/** The longest text that WeCom takes, in bytes of UTF-8. */
const LONGEST_TEXT = 2_048;

/** The codes for: too busy, too many messages, too many at once. */
const TRANSIENT_CODES = ['-1', '45009', '45033'];

/** `WECHAT`: the robot of a WeCom group. Properties, texts and payload are Java's. */
export function wechat(clock: Clock): NoticeChannel<RobotSettings> {
  return {
    type: 'WECHAT',
    keys: keysBelow('wechat'),
    read: (props) => {
      const reader = new PropsReader(props);
      return reader.result(robotSettings(reader, 'wechat'));
    },
    send: async (notice, settings, signal) => {
      // `<@userid>` would mention a member; with a space it is only text.
      const content = textOf({ ...notice, trace: notice.trace.replaceAll('<@', '< @') }, LONGEST_TEXT);
      const { webhook: url } = settings;
      await postToRobot({ url, content, settings, clock, signal, transientCodes: TRANSIENT_CODES });
      return undefined;
    },
    delivered: (job) => `An exception has occurred in Job '${job}', an wechat message has been sent successful.`,
    failed: (job) => `An exception has occurred in Job '${job}' but failed to send wechat because of`,
  };
}
