import { type ConsoleApp, PASSWORDS } from './console-app.js';

/** The parts of a request besides its path. */
export interface RequestOptions {
  readonly method?: string;
  /** Is sent as JSON. */
  readonly body?: unknown;
  /** Come before those that the client adds by itself; `undefined` takes one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** An answer of the console. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; `undefined` if it is none. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** A browser that shows the console's page: it keeps cookies, and says where requests come from. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly app: Pick<ConsoleApp, 'origin'>,
    private readonly base = '/elasticjob',
  ) {}

  /** A browser in which that user has logged in. */
  static async loggedIn(
    app: Pick<ConsoleApp, 'origin'>,
    username: keyof typeof PASSWORDS,
    base?: string,
  ): Promise<Browser> {
    const browser = new Browser(app, base);
    const { status, text } = await browser.login(username, PASSWORDS[username]);
    if (status !== 204) throw new Error(`${username} could not log in: ${status} ${text}`);
    return browser;
  }

  login(username: string, password: string): Promise<Answer> {
    return this.post('/api/v1/auth/login', { username, password });
  }

  get(path: string, headers: RequestOptions['headers'] = {}): Promise<Answer> {
    return this.request(path, { headers });
  }

  post(path: string, body: unknown = {}, headers: RequestOptions['headers'] = {}): Promise<Answer> {
    return this.request(path, { method: 'POST', body, headers });
  }

  /** As the page makes it. */
  async request(path: string, { method = 'GET', body, headers = {} }: RequestOptions = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all: Readonly<Record<string, string | undefined>> = {
      'sec-fetch-site': 'same-origin',
      'x-ejc': '1',
      ...(cookie !== '' && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const answer = await send(this.app.origin + this.base + path, { method, body, headers: all });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return answer;
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** A request of a script, as it is. */
export async function send(url: string, { method = 'GET', body, headers = {} }: RequestOptions = {}): Promise<Answer> {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(given),
    redirect: 'manual',
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
