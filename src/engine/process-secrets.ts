// What is secret whatever cadre is at hand: variables of the process whose names say so, and keys that are told by their
// looks. Small, because it stands at the edge where the command line tells of errors.

import { openSecrets, type Secrets } from '../world/secrets.ts';

export const secretsOfProcess = (environment: NodeJS.ProcessEnv = process.env): Secrets =>
  openSecrets((add) => {
    for (const [name, value = ''] of Object.entries(environment)) if (saysSecret(name)) add(name, value);
  });

export const saysSecret = (name: string): boolean =>
  /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWD|PASSPHRASE|CREDENTIALS?)$|PASSWORD/i.test(name);
