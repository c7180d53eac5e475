/** Parses texts of the command line. A text that cannot be used is wrong usage. */
import { InvalidArgumentError, Option } from 'commander';
import { fromRanges } from '../../layout/x-node/item-ranges.js';
import { isServerIp } from '../../api/text/node-name.js';

/** Milliseconds of a duration: `30`, `30s`, `1.5s`, `500ms`, `10m`, `2h`. A number alone is seconds. */
export function duration(text: string): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = Number(number) * UNITS[unit as keyof typeof UNITS];
  if (number === '' || ms < 1 || ms > LONGEST_MS)
    throw new InvalidArgumentError('It must be a duration such as 30s, 500ms or 10m.');
  return ms;
}

/** An option whose value is a duration. @param usual the default, as it would be given */
export function durationOption(flags: string, description: string, usual: string): Option {
  return new Option(flags, description).argParser(duration).default(duration(usual), usual);
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const LONGEST_MS = 24 * UNITS.h;

/** Reads an integer. */
export function integer(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`It must be an integer from ${from} to ${to}.`);
  };
}

/** Items of a job: `3`, `0-3,7`. */
export function items(text: string): readonly number[] {
  const isList = /^\s*\d{1,10}(?:-\d{1,10})?\s*(?:,\s*\d{1,10}(?:-\d{1,10})?\s*)*$/.test(text);
  const read = isList ? fromRanges(text) : [];
  if (read.length > 0) return read;
  throw new InvalidArgumentError('It must be items such as 3 or 0-3,7.');
}

/** An instant: `2026-11-24T02:00:00Z`; without a zone, in the zone of this process. */
export function instant(text: string): Date {
  const date = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('It must be an instant such as 2026-11-24T02:00:00Z.');
}

/** A text that is not empty. @param what it is, as in `It must be a time zone.` */
export function nonEmpty(what: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '' && !text.includes('\0')) return text;
    throw new InvalidArgumentError(`It must be ${what}.`);
  };
}

/** The address of a server, as nodes are named after it. */
export function server(text: string): string {
  if (isServerIp(text)) return text;
  throw new InvalidArgumentError('It must be the address of a server such as 10.0.0.7.');
}

/** The reason of an operation, for its record. */
export function reason(text: string): string {
  if (text.length <= LONGEST_REASON && !text.includes('\0')) return text;
  throw new InvalidArgumentError(`It must be a text of at most ${LONGEST_REASON} characters, without U+0000.`);
}

/** The limit of the console. */
const LONGEST_REASON = 1_000;

/** A machine and a port: `10.0.0.7:9888`, `[::1]:9888`. */
export function address(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || host.includes('\0') || Number(port) < 1 || Number(port) > 65_535)
    throw new InvalidArgumentError('It must be a host and a port such as 10.0.0.7:9888.');
  return { host, port: Number(port) };
}
