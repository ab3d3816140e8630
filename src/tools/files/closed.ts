// Names in a workspace that the model never sees. Secrets are always refused by name; machinery is left out of
// listings and searches, but what holds no secrets can still be read by its path.

const secretFolders: ReadonlySet<string> = new Set(['.git', '.ssh', '.aws', '.gnupg', '.kube']);
const secretFiles: ReadonlySet<string> = new Set(['.npmrc', '.netrc', '.pypirc', '.pgpass', '.git-credentials']);
const secretKey = /^id_(rsa|dsa|ecdsa|ed25519)$/;
const environment = /^\.env(\..+)?$/;
const environmentExample = /\.(example|sample|template|dist)$/;
const machinery: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);

/** The first segment of a relative path that closes it. Case is ignored, as some file systems do. */
export function closedBy(relativePath: string): string | undefined {
  return relativePath.split(/[\\/]/).find(isSecret);
}

export function isSecret(name: string): boolean {
  const lower = name.toLowerCase();
  if (secretFolders.has(lower) || secretFiles.has(lower) || secretKey.test(lower)) return true;
  return environment.test(lower) && !environmentExample.test(lower);
}

/** Folders that a listing names but does not enter, and that a search leaves out. */
export const isSkippedFolder = (name: string): boolean => name.startsWith('.') || machinery.has(name.toLowerCase());
