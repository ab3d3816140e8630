// npm runs this after `npm ci` and `npm install` in a checkout (`postprepare`), before `npm pack` (`prepack`), and in the clone
// that an install from git makes: it builds. An install without the development packages cannot build, and says so instead
// of failing. It is not called `prepare`: npm would ask whoever installs the packed file to review it. The package that users get
// names this script too: there is nothing to build in it. Commands that need a build begin with it as well: it does not print the
// list of the bundle.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!existsSync('src')) process.exit();
if (existsSync('node_modules/rolldown') && existsSync('node_modules/typescript')) {
  execSync('npm run build', { stdio: ['ignore', 'ignore', 'inherit'] });
} else {
  console.error('Cadre is not built: the development packages are not installed. Run `npm ci && npm run build`.');
}
