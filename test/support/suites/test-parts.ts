import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPart } from '../chromium.ts';
import { composePart } from '../compose/compose-part.ts';
import { dockerPart } from '../docker.ts';
import { enginePartOf } from '../engines/engine-part-of.ts';
import { githubDescriptionPart } from '../github/github-description-part.ts';
import { hostsPart } from '../hosts/hosts-part.ts';
import { linearSchemaPart } from '../linear/linear-schema-part.ts';
import { promtoolPart } from '../promtool.ts';
import { pythonPart } from '../python.ts';
import { shellcheckPart } from '../shellcheck.ts';
import { sqldPart } from '../sqld/sqld-part.ts';
import type { SystemPart } from '../system-part.ts';
import { type Choice, chosenFiles } from './chosen-files.ts';
import { ROOT } from './files-of-suite.ts';
import { SUITES } from './suites.ts';

/** A part of the machine that some tests need. */
export type TestPart = {
  name: string;
  part: SystemPart;
  /**
   * Whether a test file leaves tests out without it, besides those of suites that need it as a whole.
   * @param file from the root of the checkout
   */
  isNeededBy: (file: string) => boolean;
  /** Without it tests are less strict, and none is left out: never a failure. */
  isNotice: boolean;
};

/** Tests that leave themselves out where the part that they look for is missing. */
export const LOOKING_TESTS = {
  browser: ['test/redteam/redteam.test.ts'],
  promtool: ['test/contracts/metrics.test.ts'],
  shellcheck: ['test/architecture/shell-programs.test.ts'],
  sqld: [
    'test/contracts/move-data.test.ts',
    'test/contracts/upgrade-fixtures.test.ts',
    'test/e2e/move-installation.test.ts',
    'test/browser/moved-to-worker.test.ts',
  ],
  compose: ['test/docker/compose.docker.test.ts'],
  opencode: [
    'test/contracts/engines/opencode.test.ts',
    'test/e2e/model-proxy-engines.test.ts',
    'test/e2e/trial-engines.test.ts',
    'test/chaos/mixed-engines.test.ts',
  ],
  claude: [
    'runner/src/engine/acp/profiles/claude/claude-profile.process.test.ts',
    'test/contracts/engines/claude.test.ts',
    'test/e2e/model-proxy-engines.test.ts',
    'test/e2e/trial-engines.test.ts',
    'test/chaos/mixed-engines.test.ts',
  ],
} as const;

/** Looks for every part; about a second. */
export async function findTestParts(): Promise<TestPart[]> {
  const isRoot = process.getuid?.() === 0;
  const needed = (name: string, part: SystemPart, files: readonly string[] = []) => ({
    name,
    part,
    isNotice: false,
    isNeededBy: (file: string) => files.includes(file),
  });
  const noticed = (name: string, part: SystemPart, imports: RegExp) => ({
    name,
    part,
    isNotice: true,
    isNeededBy: (file: string) => imports.test(readFileSync(join(ROOT, file), 'utf8')),
  });
  return [
    needed('docker', await dockerPart()),
    needed('browser', chromiumPart(), LOOKING_TESTS.browser),
    needed('promtool', promtoolPart(), LOOKING_TESTS.promtool),
    needed('shellcheck', shellcheckPart(), LOOKING_TESTS.shellcheck),
    needed('sqld', sqldPart(), LOOKING_TESTS.sqld),
    // Only root can make network namespaces; for others they are nothing that is missing.
    { ...needed('hosts', hostsPart()), isNotice: !isRoot },
    needed('docker-compose', composePart(), LOOKING_TESTS.compose),
    needed('engine opencode', enginePartOf('opencode'), LOOKING_TESTS.opencode),
    needed('engine claude', enginePartOf('claude'), LOOKING_TESTS.claude),
    noticed('Linear schema', linearSchemaPart(), /\/support\/(linear|journey)\//),
    noticed('GitHub description', githubDescriptionPart(), /\/support\/(github|journey)\//),
    noticed('Python', pythonPart(), /\/support\/python\.ts'/),
  ];
}

/**
 * A line for each missing part of a run: those that leave tests out, and the notices.
 * @param suites names of the suites that ran
 */
export function missingPartLines(
  parts: readonly TestPart[],
  suites: readonly string[],
  choice: Choice,
): { missing: string[]; notices: string[] } {
  const chosen = SUITES.filter(({ name }) => suites.includes(name)).map((suite) => ({
    needs: suite.needs,
    files: chosenFiles(suite, choice),
  }));
  const lines = { missing: [] as string[], notices: [] as string[] };
  for (const { name, part, isNotice, isNeededBy } of parts) {
    if (part.available) continue;
    const counts = chosen.some(({ needs, files }) =>
      needs === name ? files.length > 0 : files.some(isNeededBy),
    );
    if (!counts) continue;
    lines[isNotice ? 'notices' : 'missing'].push(`${name} tests skipped: ${part.reason}`);
  }
  return lines;
}
