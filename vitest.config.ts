import { defineConfig } from 'vitest/config';
import { chromiumPart } from './test/support/chromium.ts';
import { composePart } from './test/support/compose/compose-part.ts';
import { dockerPart } from './test/support/docker.ts';
import { enginePartOf } from './test/support/engines/engine-part-of.ts';
import { githubDescriptionPart } from './test/support/github/github-description-part.ts';
import { hostsPart } from './test/support/hosts/hosts-part.ts';
import { linearSchemaPart } from './test/support/linear/linear-schema-part.ts';
import { promtoolPart } from './test/support/promtool.ts';
import { sqldPart } from './test/support/sqld/sqld-part.ts';
import { missingPartLines } from './test/support/system-part.ts';
import LongFirstSequencer from './test/support/house/long-first-sequencer.ts';
import TallyReporter from './test/support/house/tally-reporter.ts';

// Projects are named after test/'s folders; `unit` is every test that stands beside its code. A
// test that needs Docker is called name.docker.test.ts and belongs to `docker` wherever it stands.
const dockerTests = '**/*.docker.test.ts';
const everywhere = ['**/node_modules/**', '**/dist/**'];
const docker = await dockerPart();
const browser = chromiumPart();
const promtool = promtoolPart();
const sqld = sqldPart();
const compose = composePart();
const hosts = hostsPart();
const isRoot = process.getuid?.() === 0;
const linearSchema = linearSchemaPart();
const githubDescription = githubDescriptionPart();
const opencode = enginePartOf('opencode');
const claude = enginePartOf('claude');

/** Tests of one folder under test/, Docker's aside. */
function folder(name: string, testTimeout: number) {
  const include = [`test/${name}/**/*.test.ts`];
  return { test: { name, include, exclude: [...everywhere, dockerTests], testTimeout } };
}

export default defineConfig({
  test: {
    reporters: [
      'default',
      new TallyReporter(
        missingPartLines({
          docker,
          browser,
          promtool,
          sqld,
          'docker-compose': compose,
          'engine opencode': opencode,
          'engine claude': claude,
          ...(isRoot ? { hosts } : {}),
        }),
        missingPartLines({
          'Linear schema': linearSchema,
          'GitHub description': githubDescription,
          ...(isRoot ? {} : { hosts }),
        }),
      ),
    ],
    globalSetup: ['test/support/house/build-programs.ts'],
    hookTimeout: 60_000,
    // The default of one second is short for a loaded machine.
    expect: { poll: { timeout: 25_000 } },
    teardownTimeout: 10_000,
    // Two cores are the smallest machine this is tested on; more workers than that thrash there.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirstSequencer },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{shared,control-plane,runner,dashboard}/src/**/*.test.{ts,tsx}',
            'control-plane/{cli,demo}/**/*.test.ts',
            'test/support/**/*.test.ts',
          ],
          exclude: [...everywhere, dockerTests],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'architecture',
          include: ['test/architecture.test.ts', 'test/architecture/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      folder('contracts', 60_000),
      folder('simulation', 120_000),
      folder('chaos', 120_000),
      folder('e2e', 180_000),
      folder('fuzz', 120_000),
      {
        test: {
          name: 'workerd',
          include: sqld.available ? ['test/workerd/**/*.test.ts'] : [],
          exclude: everywhere,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'hosts',
          include: hosts.available ? ['test/hosts/**/*.test.ts'] : [],
          exclude: everywhere,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'docker',
          include: docker.available ? [dockerTests, 'test/docker/**/*.test.ts'] : [],
          exclude: everywhere,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'redteam',
          include: docker.available ? ['test/redteam/**/*.test.ts'] : [],
          exclude: everywhere,
          testTimeout: 240_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: browser.available ? ['test/browser/**/*.test.ts'] : [],
          exclude: everywhere,
          testTimeout: 120_000,
        },
      },
    ],
  },
});
