import { type TlsChange, type TlsInfo } from '../../../contract/registries.js';

/** TLS as a form has it. Texts that are stored already are not shown, and stay if nothing else is entered. */
export interface TlsDraft {
  isOn: boolean;
  ca: string;
  cert: string;
  key: string;
  passphrase: string;
  servername: string;
  acceptsAny: boolean;
}

/** What the form begins with. */
export function tlsDraft(info: TlsInfo | undefined): TlsDraft {
  return {
    isOn: info !== undefined,
    ...{ ca: '', cert: '', key: '', passphrase: '' },
    servername: info?.servername ?? '',
    acceptsAny: info?.rejectUnauthorized === false,
  };
}

/** What is sent: `null` switches TLS off. */
export function tlsChange({ isOn, servername, acceptsAny, ...texts }: TlsDraft): TlsChange | null {
  if (!isOn) return null;
  const entered = Object.entries(texts).filter(([, text]) => text !== '');
  return { ...Object.fromEntries(entered), servername, rejectUnauthorized: !acceptsAny };
}
