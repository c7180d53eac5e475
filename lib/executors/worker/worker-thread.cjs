'use strict';
/**
 * The code in a worker thread: piscina loads this file there and calls `run`. It is plain JavaScript, and CommonJS in
 * either build, because only then it has the same name beside the sources and in the package, and knows its own path.
 *
 * The thread and the process talk on a port of their own for each item:
 *   to the thread    { type: 'abort' | 'softStop', reason }
 *   to the process   { type: 'started' }, { type: 'log', level, message, stack }, { type: 'ended', failure, isReason }
 */
const { setMaxListeners } = require('node:events');
const { inspect, types } = require('node:util');

/** This file; `undefined`, or another file, if a bundler has moved the code elsewhere. */
exports.threadFile = typeof __filename === 'string' ? __filename : undefined;

/** Runs one item; without a port, only loads the module. Returns the problem with the module, or undefined. */
exports.run = async function run({ url, context, softStop: softStopReason, port }) {
  if (port === undefined) return checked(url);
  const stop = new AbortController();
  const softStop = new AbortController();
  // The user's code may listen as often as it likes; Node warns of more than ten listeners.
  setMaxListeners(Infinity, stop.signal, softStop.signal);
  if (softStopReason !== undefined) softStop.abort(decode(softStopReason));
  port.on('message', ({ type, reason }) => {
    const error = decode(reason);
    if (type === 'abort') stop.abort(error);
    softStop.abort(error);
  });
  port.postMessage({ type: 'started' });
  let failure;
  let isReason = false;
  try {
    const loaded = await import(url);
    const problem = moduleProblem(loaded);
    if (problem !== undefined) throw new TypeError(`The module ${url} ${problem}.`);
    const given = Object.freeze({ ...context, signal: stop.signal, softStop: softStop.signal });
    refuseResult('The default export', await functionOf(loaded)(given, loggerOn(port)));
  } catch (error) {
    failure = encode(error);
    isReason = stop.signal.aborted && error === stop.signal.reason;
  }
  port.postMessage({ type: 'ended', failure, isReason });
  port.close();
  return undefined;
};

/** Loads the module. Returns the problem with it, or undefined. */
async function checked(url) {
  try {
    return moduleProblem(await import(url));
  } catch (error) {
    return `cannot be loaded: ${isError(error) ? String(error) : inspect(error)}`;
  }
}

/** The default export. TypeScript's CommonJS output has it one level deeper. */
function functionOf({ default: given }) {
  return typeof given === 'function' ? given : given?.default;
}

function moduleProblem(loaded) {
  const given = functionOf(loaded);
  const names = Object.keys(loaded).join(', ') || 'none';
  if (typeof given !== 'function') return `has no function as its default export; its exports: ${names}`;
  if (/^class\b/.test(Function.prototype.toString.call(given)))
    return 'has a class as its default export, instead of a function';
  const problem = signatureProblem(given, ['context', 'logger']);
  return problem === undefined ? undefined : `has a default export that ${problem}`;
}

/**
 * The problem with a function that does a job's work, as a predicate, or undefined: such a function would be called,
 * but would not do its work.
 * @param parameters the parameters of the call
 */
function signatureProblem(work, parameters) {
  if (types.isGeneratorFunction(work))
    return 'is a generator function, whose body nobody runs: make it an async function, and run its loop inside';
  if (work.length <= parameters.length) return undefined;
  return (
    `takes ${work.length} parameters, but is called with (${parameters.join(', ')}) alone, so that a callback would never be ` +
    'called: return a promise instead, and give other parameters a default value'
  );
}

/** Throws if a job's code has returned a result that would never run, or an error instead of throwing it. */
function refuseResult(call, result) {
  if (isError(result))
    throw new Error(`${call} returned an error: throw it, so that the item fails`, { cause: result });
  const problem = resultProblem(result);
  if (problem !== undefined) throw new TypeError(`${call} returned ${problem}`);
}

function resultProblem(result) {
  if (typeof result !== 'object' || result === null) return undefined;
  if (typeof result.subscribe === 'function' && typeof result.pipe === 'function')
    return 'an Observable, which nobody subscribes to: return lastValueFrom(observable) of rxjs';
  const iterator = result[Symbol.iterator] ?? result[Symbol.asyncIterator];
  if (typeof iterator === 'function' && typeof result.next === 'function')
    return 'a generator, whose body nobody runs: run its loop in an async function';
  if (Array.isArray(result) && result.some((each) => types.isPromise(each)))
    return 'a list of promises, which nobody waits for: return Promise.all(list)';
  return undefined;
}

function loggerOn(port) {
  const at = (level) => (message, stack) =>
    port.postMessage({
      type: 'log',
      level,
      message: textOf(message),
      stack: stack === undefined ? stack : String(stack),
    });
  return { debug: at('debug'), log: at('log'), warn: at('warn'), error: at('error') };
}

function textOf(message) {
  return typeof message === 'string' ? message : inspect(message);
}

/** The deepest level of causes of causes that is passed on. */
const DEEPEST = 5;

/** Encodes a thrown value for a message between threads. Never throws. */
function encode(thrown, depth = 0) {
  try {
    return isError(thrown) ? encodeError(thrown, depth) : { value: cloneable(thrown) };
  } catch {
    return { value: 'an error that throws when it is described' };
  }
}

function encodeError(thrown, depth) {
  const { name, message, stack, code, cause, errors } = thrown;
  return {
    error: { name: String(name), message: String(message), stack: stack === undefined ? stack : String(stack) },
    ...(['string', 'number'].includes(typeof code) && { code }),
    ...(cause !== undefined && depth < DEEPEST && { cause: encode(cause, depth + 1) }),
    ...(Array.isArray(errors) && depth < DEEPEST && { errors: errors.map((each) => encode(each, depth + 1)) }),
  };
}

/** Decodes a value of `encode`. */
function decode({ value, error, code, cause, errors }) {
  if (error === undefined) return value;
  const options = cause === undefined ? {} : { cause: decode(cause) };
  const made =
    errors === undefined
      ? new Error(error.message, options)
      : new AggregateError(
          errors.map((each) => decode(each)),
          error.message,
          options,
        );
  for (const key of ['name', 'stack'])
    if (made[key] !== error[key])
      Object.defineProperty(made, key, { value: error[key], configurable: true, writable: true });
  if (code !== undefined) made.code = code;
  return made;
}

/** True for errors of other realms too. */
function isError(thrown) {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
}

function cloneable(value) {
  try {
    return structuredClone(value);
  } catch {
    return inspect(value);
  }
}

exports.signatureProblem = signatureProblem;
exports.refuseResult = refuseResult;
exports.encode = encode;
exports.decode = decode;
