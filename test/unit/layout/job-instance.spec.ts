import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { pid } from 'node:process';

import { describe, expect, test } from '@jest/globals';

import {
  addressProblem,
  createJobInstance,
  instanceYaml,
  ipOfInstanceId,
  jobInstanceOn,
  parseInstanceYaml,
} from '../../../lib/layout/job-instance.js';
import { javaTrees } from './fixtures.js';

/** How many methods of texts are called while `task` runs. */
function stepsOf(task: () => unknown): number {
  const prototype = String.prototype as unknown as Record<string, (this: string, ...args: unknown[]) => unknown>;
  const names = ['charAt', 'charCodeAt', 'indexOf', 'slice', 'split', 'startsWith', 'substr', 'substring', 'trim'];
  const originals = names.map((name) => [name, prototype[name]!] as const);
  let steps = 0;
  for (const [name, original] of originals)
    prototype[name] = function (...args) {
      steps++;
      return Reflect.apply(original, this, args);
    };
  try {
    task();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return steps;
}

const v4 = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  internal,
  family: 'IPv4',
  netmask: '255.0.0.0',
  mac: '',
  cidr: null,
});
const v6 = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...v4(address, internal),
  family: 'IPv6',
  scopeid: 0,
});

const interfaces = {
  lo: [v4('127.0.0.1', true)],
  tun0: [v6('fd00::1')],
  eth0: [v6('fe80::1'), v4('10.0.0.1'), v4('10.0.1.1')],
  'eth0:1': [v4('10.0.9.9')],
  docker0: [v4('172.17.0.1')],
};

describe('an instance’s address', () => {
  test('is the first one that is IPv4 and not loopback', () => {
    expect(createJobInstance({ interfaces }).serverIp).toBe('10.0.0.1');
  });

  test('is the first IPv6 one on a machine that has no IPv4 one, but never a loopback or link-local one', () => {
    const only6 = {
      lo: [v4('127.0.0.1', true), v6('::1', true)],
      eth0: [v6('fe80::1'), v6('FEBF::1'), v6('2001:db8::7'), v6('2001:db8::8')],
    };
    const instance = createJobInstance({ interfaces: only6 });

    expect(instance.serverIp).toBe('2001:db8::7');
    expect(ipOfInstanceId(instance.jobInstanceId)).toBe('2001:db8::7');
    expect(addressProblem(instance)).toBeUndefined();
  });

  test.each([
    [{ preferredNetworkInterface: 'tun0' }, 'fd00::1'],
    [{ preferredNetworkIp: 'fd00:' }, 'fd00::1'],
    [{ preferredNetworkIp: 'FD00::' }, 'fd00::1'],
    [{ preferredNetworkIp: 'FD.*' }, 'fd00::1'],
    [{ preferredNetworkInterface: 'docker0' }, '172.17.0.1'],
    [{ preferredNetworkInterface: '' }, '10.0.0.1'],
    [{ preferredNetworkIp: '172.' }, '172.17.0.1'],
    [{ preferredNetworkIp: '10\\.0\\.1\\..*' }, '10.0.1.1'],
    [{ preferredNetworkInterface: 'eth0', preferredNetworkIp: '10.0.1' }, '10.0.1.1'],
    [{ preferredNetworkInterface: undefined, preferredNetworkIp: '' }, '10.0.0.1'],
  ])('with %j is %s', (preference, ip) => {
    expect(createJobInstance({ ...preference, interfaces }).serverIp).toBe(ip);
  });

  test.each([
    [
      { preferredNetworkInterface: 'eth7' },
      /elasticjob\.preferredNetworkInterface: .+, got "eth7"; there are: tun0, eth0, docker0$/,
    ],
    [
      { preferredNetworkIp: '192.168' },
      /elasticjob\.preferredNetworkIp: .+, got "192\.168"; addresses are 10\.0\.0\.1, 10\.0\.1\.1, 172\.17\.0\.1, fd00::1$/,
    ],
    [{ preferredNetworkIp: '0\\.0' }, /addresses are/],
    [{ preferredNetworkIp: '127' }, /addresses are/],
    [{ preferredNetworkInterface: 'docker0', preferredNetworkIp: '10' }, /addresses are 172\.17\.0\.1$/],
    [{ preferredNetworkIp: '(' }, /must be a regular expression, got "\("/],
  ])('cannot be had with %j', (preference, message) => {
    expect(() => createJobInstance({ ...preference, interfaces })).toThrow(message);
  });

  test('is the loopback address if the machine has no other, which is a problem', () => {
    const unaddressed = createJobInstance({ interfaces: { lo: interfaces.lo, eth0: [v6('fe80::1')] } });

    expect(unaddressed.serverIp).toBe('127.0.0.1');
    expect(addressProblem(unaddressed)).toBe(
      'No network interface of this machine has an address that others can reach, so this server is registered as 127.0.0.1, like every other ' +
        'machine without one: an operator who disables one of them disables all. Start the application when the network is up.',
    );
    expect(addressProblem(createJobInstance({ interfaces }))).toBeUndefined();
  });

  test('cannot be preferred on a machine that has none', () => {
    const none = { eth0: undefined, lo: interfaces.lo };

    expect(() => createJobInstance({ interfaces: none, preferredNetworkInterface: 'eth0' })).toThrow(
      /, got "eth0"; there are: none$/,
    );
    expect(() => createJobInstance({ interfaces: none, preferredNetworkIp: '10' })).toThrow(/; addresses are none$/);
  });

  test('that is preferred by what is no regular expression is refused with the reason as the cause', () => {
    expect(() => createJobInstance({ interfaces, preferredNetworkIp: '(' })).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ name: 'SyntaxError' }) }),
    );
  });

  test('is one of this machine’s', () => {
    const addresses = Object.values(networkInterfaces()).flatMap((infos) => infos!.map(({ address }) => address));

    expect(addresses).toContain(createJobInstance().serverIp);
  });
});

describe('an instance’s id', () => {
  test('has ip and pid, and one @-@ so that Java can split it', () => {
    const { jobInstanceId } = createJobInstance({ interfaces });

    expect(jobInstanceId).toMatch(new RegExp(`^10\\.0\\.0\\.1@-@${pid}-[a-z0-9]{8}$`));
    expect(ipOfInstanceId(jobInstanceId)).toBe('10.0.0.1');
  });

  test('is never the same, not even in one process', () => {
    const ids = Array.from({ length: 1000 }, () => createJobInstance({ interfaces }).jobInstanceId);

    expect(new Set(ids).size).toBe(1000);
  });
});

describe('an instance’s node', () => {
  test('is written as Java writes it', () => {
    const written = Object.entries(javaTrees.nodes).filter(([path]) => path.includes('/instances/'));

    expect(written.length).toBeGreaterThan(10);
    for (const [path, { data }] of written) {
      const jobInstanceId = path.split('/').at(-1)!;
      expect(instanceYaml({ jobInstanceId, serverIp: ipOfInstanceId(jobInstanceId) })).toBe(data);
    }
  });

  test.each([
    [instanceYaml({ jobInstanceId: '10.0.0.1@-@1', serverIp: '10.0.0.1' }), {}],
    ['jobInstanceId: 10.0.0.1@-@1\nlabels: a,b\nserverIp: 10.0.0.1\n', { labels: 'a,b' }],
    ['labels: a,b\njobInstanceId: 10.0.0.1@-@1\nserverIp: 10.0.0.1\n', { labels: 'a,b' }],
    ['jobInstanceId: 10.0.0.1@-@1\nserverIp: 10.0.0.1\nlabels: a,b\n', { labels: 'a,b' }],
    ['{"serverIp": "10.0.0.1", "jobInstanceId": "10.0.0.1@-@1", "more": 1}', {}],
  ])('%j describes an instance', (text, more) => {
    expect(parseInstanceYaml(text)).toStrictEqual({ jobInstanceId: '10.0.0.1@-@1', serverIp: '10.0.0.1', ...more });
  });

  test.each(['2001:db8::7', 'fd00::', '1:2:3:4:5:6:7:8', '::ffff:10.0.0.1'])(
    'with the address %s is read as it was written',
    (serverIp) => {
      const instance = jobInstanceOn(serverIp, '4711-k3j9x2ab');

      expect(parseInstanceYaml(instanceYaml(instance))).toEqual(instance);
    },
  );

  // A thousand instances may come at once.
  test.each([
    { jobInstanceId: '2001:db8::7@-@4711-k3j9x2ab', serverIp: '2001:db8::7' },
    { jobInstanceId: '10.11.0.12@-@4711', serverIp: '10.11.0.12' },
    { jobInstanceId: '10.11.0.12@-@4711-k3j9x2ab', serverIp: '10.11.0.12' },
  ])('is read in far fewer steps than YAML if it is written as instances write it: %j', (instance) => {
    const plain = instanceYaml(instance);
    const yaml = `{ ${plain.trim().replace('\n', ', ')} }`;
    expect([plain, yaml].map(parseInstanceYaml)).toEqual([instance, instance]);

    const steps = [plain, yaml].map((text) => stepsOf(() => parseInstanceYaml(text)));

    expect(steps[0]! * 5).toBeLessThan(steps[1]!);
  });

  test.each([
    '',
    '\n',
    'TRIGGER',
    '10.0.0.1@-@1',
    '[]',
    'jobInstanceId: 10.0.0.1@-@1',
    'serverIp: 10.0.0.1',
    'a: b: c',
    '{',
  ])('%j describes none', (text) => {
    expect(parseInstanceYaml(text)).toBeUndefined();
  });
});
