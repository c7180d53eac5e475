import { type TlsChange, type TlsInfo } from '../../../contract/registries.js';

/** TLS in a form. Stored texts are not shown, and are kept if their fields stay empty. */
export interface TlsDraft {
  isOn: boolean;
  ca: string;
  cert: string;
  key: string;
  passphrase: string;
  servername: string;
  acceptsAny: boolean;
}

/** The initial draft of the form. */
export function tlsDraft(info: TlsInfo | undefined): TlsDraft {
  return {
    isOn: info !== undefined,
    ...{ ca: '', cert: '', key: '', passphrase: '' },
    servername: info?.servername ?? '',
    acceptsAny: info?.rejectUnauthorized === false,
  };
}

/** The change to send; `null` turns TLS off. */
export function tlsChange({ isOn, servername, acceptsAny, ...texts }: TlsDraft): TlsChange | null {
  if (!isOn) return null;
  const entered = Object.entries(texts).filter(([, text]) => text !== '');
  return { ...Object.fromEntries(entered), servername, rejectUnauthorized: !acceptsAny };
}
