import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { LIVE_VARIABLES, liveCredentials } from './live-credentials.ts';

// `npm run test:live`: the contract suites of trackers and code hosts against the real services.
const root = join(import.meta.dirname, '../..');
const HELP = `Runs the contract suites of trackers and code hosts against the real services. Use a team and
repositories that are there for nothing else and hold no open issues: the suites create issues,
branches and pull requests, and archive or close them afterwards.

  npm run test:live

  LIVE_LINEAR_API_KEY, LIVE_LINEAR_TEAM    key and team, for example ENG, with the states
                                           Todo, In Progress, In Review, Done
  LIVE_GITHUB_TOKEN, LIVE_GITHUB_REPOSITORY, LIVE_GITHUB_SECOND_REPOSITORY
                                           token and two repositories, as owner/name
  LIVE_LINEAR_ENDPOINT, LIVE_GITHUB_API_URL, LIVE_GITHUB_URL
                                           other addresses than the public ones

What has no credentials is skipped with a line that says so. The exit code is 0 when nothing failed,
also when everything was skipped; 1 when a test failed; 2 for wrong use.
`;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  if (args.length > 0) {
    process.stderr.write(`test:live: ${args[0]} is unknown; --help tells what is\n`);
    return 2;
  }
  const given = liveCredentials(process.env);
  const names = (['linear', 'github'] as const).filter((name) => given[name] === null);
  for (const name of names) {
    const missing = LIVE_VARIABLES[name].filter((variable) => !process.env[variable]);
    process.stderr.write(`LIVE TESTS SKIPPED: ${name}: ${missing.join(', ')} not set\n`);
  }
  if (given.linear === null && given.github === null) return 0;
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const child = spawn(process.execPath, [vitest, 'run', '--config', config], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0 ? 0 : 1));
  });
}

process.exitCode = await main(process.argv.slice(2));
