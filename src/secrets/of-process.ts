// The secrets without any cadre: variables of the process whose names say so, and keys that are recognized by their
// shape. This module is small, because the command line loads it to report errors.

import { openSecrets, type Secrets } from './secrets.ts';

/** A shorter value is a secret only if it is declared: in cadre.yaml, in `.env`, as the password of an address. */
export const LONG_ENOUGH = 8;

export const secretsOfProcess = (environment: NodeJS.ProcessEnv = process.env): Secrets =>
  openSecrets((add) => {
    for (const [name, value = ''] of Object.entries(environment)) {
      if (saysSecret(name) && value.trim().length >= LONG_ENOUGH) add(name, value);
    }
  });

export const saysSecret = (name: string): boolean =>
  /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASS|PASSWD|PASSPHRASE|PIN|AUTH|COOKIE|DSN|SIG|SIGNATURE|CREDENTIALS?)$|_PWD$|PASSWORD|^AWS_BEARER_TOKEN_/i.test(
    name,
  );
