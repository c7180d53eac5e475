import { Matches } from 'class-validator';
import { IntegerSetting, rule, Setting, TextSetting } from '../../api/settings/setting.js';

/** The declared options of an embedded registry centre; `EmbeddedRegistryCenterOptions` documents them. */
export class EmbeddedOptions {
  @TextSetting({}, (context) => Matches(/\S/, { ...context, message: 'must be a text that is not empty' }))
  namespace?: string;
  @IntegerSetting({ min: 1 }) sessionTimeoutMilliseconds?: number;
  @Setting({ kind: 'code' }, rule('server', objectWith('namespace', 'an EmbeddedRegistryServer'))) server?: object;
  @Setting({ kind: 'code' }, rule('clock', objectWith('after', 'a Clock'))) clock?: object;
}

function objectWith(method: string, what: string): (value: unknown) => string | undefined {
  return (value) =>
    typeof (value as Record<string, unknown> | null)?.[method] === 'function' ? undefined : `must be ${what}`;
}
