/** Where a request comes from, and how the browser names the console. */
export interface RequestOrigin {
  /** The client's address. */
  readonly ip: string;
  /** By what failed logins are counted: one client has all addresses of it. */
  readonly network: string;
  readonly isSecure: boolean;
  /** `https://console.example.com`; `undefined` if the request does not say it. */
  readonly origin: string | undefined;
}
