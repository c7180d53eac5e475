import { BooleanSetting, IntegerSetting, rule, TextSetting } from '../api/settings/setting.js';

/** `elasticjob.dump`: the port on which a process shows what the registry centre has of a job. */
export class DumpSettings {
  /** False: the port is not opened, even if it is set. Default: true. */
  @BooleanSetting() enabled?: boolean;
  /** TCP port; 0: a free one, which the log says. Default: none, nothing is opened. */
  @IntegerSetting({ min: 0, max: 65_535 }) port?: number;
  /** Address to listen on; `0.0.0.0` for all IPv4 addresses of the machine. Default: `127.0.0.1`, this machine only. */
  @TextSetting({}, rule('port', portProblem)) host?: string;
}

function portProblem(_host: string, { port }: DumpSettings): string | undefined {
  return port === undefined
    ? "has no effect without the dump's port: set elasticjob.dump.port too, or remove it"
    : undefined;
}
