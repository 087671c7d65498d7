import { messageOf } from '@switchyard/shared/message-of';
import { Command } from 'commander';
import { runConformance } from './run-conformance.ts';

const EXIT = { done: 0, failed: 1, usage: 2 } as const;
type Flags = { url: string; token?: string; json?: boolean; exceptions?: string };

const program = new Command('conformance')
  .description('Holds a running service against the interface, route by route.')
  .option('--url <address>', 'address of the service', 'http://127.0.0.1:4000')
  .option('--token <token>', 'write token of a remote service (or SWITCHYARD_TOKEN)')
  .option('--json', 'print the whole report as JSON and nothing else')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage));

async function main(): Promise<number> {
  const flags = program.parse().opts<Flags>();
  const say = (text: string) => void (flags.json === true ? null : process.stdout.write(text));
  const startedMs = performance.now();
  const report = await runConformance({
    url: flags.url,
    token: flags.token ?? process.env['SWITCHYARD_TOKEN'],
    onWait: (seconds) => void process.stderr.write(`over the limit; waiting ${seconds} s\n`),
    onRoute: ({ route, checks, skipped }) => {
      const bad = checks.filter(({ problem }) => problem !== null);
      const note = skipped === null ? '' : `, good case not tried: ${skipped}`;
      say(`${bad.length === 0 ? 'ok  ' : 'FAIL'}  ${route} (${checks.length} checks${note})\n`);
      for (const { what, problem } of bad) say(`        ${what}: ${problem}\n`);
    },
  });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  if (flags.json === true) process.stdout.write(`${JSON.stringify(report)}\n`);
  say(
    `${report.routes.length} routes, ${report.passed} checks passed, ${report.failed} failed, ` +
      `${report.requests} requests in ${seconds} s\n`,
  );
  return report.failed === 0 ? EXIT.done : EXIT.failed;
}

try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(`conformance: ${messageOf(error)}\n`);
  process.exit(EXIT.failed);
}
