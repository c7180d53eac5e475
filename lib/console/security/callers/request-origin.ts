/** The client of a request, and the origin by which the browser knows the console. */
export interface RequestOrigin {
  /** The client's address. */
  readonly ip: string;
  /** The network by which failed logins are counted, as one client may have all its addresses. */
  readonly network: string;
  readonly isSecure: boolean;
  /** `https://console.example.com`; `undefined` if the request does not contain it. */
  readonly origin: string | undefined;
}
