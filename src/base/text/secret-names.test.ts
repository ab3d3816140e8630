import { expect, test } from 'vitest';
import { secretIn } from './secret-names.ts';

test.each([
  '.env',
  '.ENV',
  '.env.local',
  '.envrc',
  '.netrc',
  '.npmrc',
  'x/.ssh/config',
  '.git/config',
  'server.key',
  'tls/server.PEM',
  'credentials',
  'credentials.json',
  'Credentials.yml.enc',
  'credentials.ts.bak',
  'id_rsa',
  'id_ed25519',
  'id_ecdsa_sk',
  'id_ed25519_sk.pub',
  'id_rsa-work',
  'id_dsa.old',
  'credentials/google.json',
  '.env/lib/main.py',
  'src/credentials.d/../credentials',
])('%s is a name of secrets', (path) => {
  expect(secretIn(path, 'file')).toBeDefined();
});

test.each([
  'credentials.ts',
  'src/credentials.test.tsx',
  'id_map.py',
  'id_rsa.go',
  'id_rsa_parser.rs',
  'src/credentials/index.ts',
  '.env.example',
  'credentials.json.example',
  '.envrc.template',
  'id_rsakeys',
  'key',
  'pem',
  'monkey',
  'keys.txt',
  'id_card.txt',
  'credentials-guide.md',
  'server.key.ts',
])('%s is none', (path) => {
  expect(secretIn(path, 'file')).toBeUndefined();
});

test('a folder that is called like a key is looked into, and what is no source code in it is closed', () => {
  expect(secretIn('src/credentials', 'folder')).toBeUndefined();
  expect(secretIn('src/credentials/aws', 'folder')).toBeUndefined();
  expect(secretIn('src/credentials/aws/key.json', 'file')).toBe('credentials');
  expect(secretIn('.ssh', 'folder')).toBe('.ssh');
  expect(secretIn('.env', 'folder')).toBe('.env');
});
