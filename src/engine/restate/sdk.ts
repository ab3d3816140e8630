// Loads the SDK of Restate, which only a worker needs. Nothing else imports it.

import { pathToFileURL } from 'node:url';
import type * as sdk from '@restatedev/restate-sdk';
import { findPackage } from '../../base/disk/package.ts';
import { fail } from '../../kernel/fault.ts';

export type Sdk = typeof sdk;

const NAME = '@restatedev/restate-sdk';

/** Found beside Cadre, or from the current folder upward. Throws `config/invalid` where it is not installed. */
export async function loadSdk(): Promise<Sdk> {
  haveResolvers();
  try {
    return await import('@restatedev/restate-sdk');
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw thrown;
  }
  const found = findPackage(NAME, process.cwd());
  if (found?.entry === undefined)
    return fail(
      'config/invalid',
      `A worker of Restate needs the package ${NAME}, which is not installed: npm i ${NAME}@1`,
    );
  return (await import(pathToFileURL(found.entry).href)) as Sdk;
}

/** The SDK uses what Node has from 22 on. Without it, invocations hang and say nothing. */
function haveResolvers(): void {
  const promises = Promise as {
    withResolvers?: <Value>() => {
      readonly promise: Promise<Value>;
      readonly resolve: (value: Value | PromiseLike<Value>) => void;
      readonly reject: (reason?: unknown) => void;
    };
  };
  promises.withResolvers ??= <Value>() => {
    let resolve: (value: Value | PromiseLike<Value>) => void = () => {};
    let reject: (reason?: unknown) => void = () => {};
    const promise = new Promise<Value>((fulfil, refuse) => {
      resolve = fulfil;
      reject = refuse;
    });
    return { promise, resolve, reject };
  };
}
