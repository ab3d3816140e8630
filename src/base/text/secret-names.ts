// Names of files and folders that usually hold secrets. Case is ignored, as some file systems do.

const FOLDERS: ReadonlySet<string> = new Set(['.git', '.ssh', '.aws', '.gnupg', '.kube']);
const FILES: ReadonlySet<string> = new Set(['.npmrc', '.netrc', '.pypirc', '.pgpass', '.git-credentials', '.envrc']);
const ENVIRONMENT = /^\.env(\..+)?$/;
/** Names of keys and credentials, which source code may have too. */
const KEYS = /^credentials(\..+)?$|.\.(?:key|pem)$|^id_(?:rsa|dsa|ecdsa|ed25519|ed448|xmss)(?![a-z0-9])/;
const EXAMPLE = /\.(example|sample|template|dist)$/;
const SOURCE_CODE =
  /\.(?:[cm]?[jt]sx?|py|pyi|rb|go|rs|java|kts?|scala|groovy|swift|m|mm|c|cc|cpp|cxx|h|hh|hpp|cs|fs|vb|php|exs?|erl|hs|clj[cs]?|dart|lua|jl|pl|pm|r|zig|nim|ml|mli|vue|svelte|astro|html?|css|s[ac]ss|less)$/;

/** The first name in a path that says that the file or folder there may hold secrets. */
export function secretIn(path: string, kind: 'file' | 'folder'): string | undefined {
  const names = path.split(/[\\/]/);
  const file = kind === 'file' ? names.at(-1)?.toLowerCase() : undefined;
  const isCode = file !== undefined && SOURCE_CODE.test(file);
  return names.find((name) => {
    const lower = name.toLowerCase();
    if (FOLDERS.has(lower) || FILES.has(lower)) return true;
    if (EXAMPLE.test(lower)) return false;
    if (ENVIRONMENT.test(lower)) return true;
    return file !== undefined && !isCode && KEYS.test(lower); // a folder of such a name may hold source code
  });
}
