import { IsNotEmpty } from 'class-validator';
import { TextSetting } from '../../api/settings/setting.js';

export { isPem, tlsOptions, TlsSettings } from '../tls-settings.js';

/** Credentials for SASL DIGEST-MD5: a user of the servers' JAAS configuration. */
export class SaslSettings {
  /** Name of the user. */
  @TextSetting({ required: true }, (context) => IsNotEmpty({ ...context, message: 'must not be empty' }))
  username?: string;
  /** The user's password. */
  @TextSetting({ required: true, secrecy: 'hidden' }) password?: string;
}
