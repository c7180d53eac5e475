/** The packages that speak gRPC, which are loaded when a registry centre on etcd connects first: they are optional. */
import type * as Grpc from '@grpc/grpc-js';
import type * as ProtoLoader from '@grpc/proto-loader';
import { describeCause } from '../../../api/text/describe-cause.js';
import { MissingPackageError } from '../../missing-package.js';
import { type Methods, methodsOf } from './wire-format.js';

/** The parts of them that this client uses. */
export interface GrpcPackages {
  readonly grpc: typeof Grpc;
  readonly methods: Methods;
}

const PACKAGES = ['@grpc/grpc-js', '@grpc/proto-loader'] as const;

let loaded: Promise<GrpcPackages> | undefined;

/**
 * Loads the packages, once a process.
 * @throws MissingPackageError if one is not installed; the message names both
 */
export function loadGrpc(): Promise<GrpcPackages> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<GrpcPackages> {
  const [grpc, loader] = [
    await optionalPackage<typeof Grpc>(PACKAGES[0]),
    await optionalPackage<typeof ProtoLoader>(PACKAGES[1]),
  ];
  return { grpc, methods: methodsOf((json, options) => loader.fromJSON(json, options)) };
}

async function optionalPackage<Package extends object>(name: string): Promise<Package> {
  try {
    const found = (await import(name)) as Package & { readonly default?: Package };
    // Both are CommonJS, all of which an import has as its default.
    return found.default ?? found;
  } catch (cause) {
    // The lines that follow in Node's message say from where it was looked for.
    const [reason = ''] = describeCause(cause).split('\n');
    throw new MissingPackageError('a registry centre on etcd needs two packages', PACKAGES, reason, { cause });
  }
}
