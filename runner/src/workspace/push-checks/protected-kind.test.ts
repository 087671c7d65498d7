import { describe, expect, it } from 'vitest';
import { protectedKind } from './protected-kind.ts';

const ENGINE = ['.codex/**', '**/.codex/**'];
const kindOf = (path: string, allow: readonly string[] = []) => protectedKind(path, allow, ENGINE);

describe('protected paths', () => {
  it.each([
    ['.github/workflows/ci.yml', 'workflow_file'],
    ['.github/workflows/.evil.yml', 'workflow_file'],
    ['.github/workflows/.a/.b/c.yml', 'workflow_file'],
    ['.github/actions/.own/action.yml', 'workflow_file'],
    ['.circleci/.hidden/config.yml', 'workflow_file'],
    ['.gitlab/ci/.a.yml', 'workflow_file'],
    ['azure-pipelines.release.yaml', 'workflow_file'],
    ['Jenkinsfile', 'workflow_file'],
    ['.github/workflows/new\nline.yml', 'workflow_file'],
    ['.husky/.d/pre-commit', 'hook_file'],
    ['.codex/.hidden', 'engine_config'],
    ['sub/.deep/.codex/.x', 'engine_config'],
  ])('are %j: %s', (path, kind) => {
    expect(kindOf(path)).toBe(kind);
  });

  it.each([
    '.GitHub/Workflows/.x.yml',
    '.hu\u017Fky/pre-commit',
    '.hus\u200Cky/pre-commit',
    '.hus\u212Ay/pre-commit',
    '\uFF0Egithub/workflows/x.yml',
    '.husky./pre-commit',
    '.husky /pre-commit',
    'lefthook.yml ',
    '.husky::$INDEX_ALLOCATION/pre-commit',
    '.github\\workflows\\x.yml',
  ])('are found where a file system takes it for theirs: %j', (path) => {
    expect(kindOf(path)).not.toBeNull();
  });

  it.each(['.husky', '.github', '.github/workflows', '.gitlab', 'sub/.codex'])(
    'include what stands in the place of their folder: %j',
    (path) => {
      expect(kindOf(path)).not.toBeNull();
    },
  );

  it.each([
    'docs/.github/workflows.md',
    'docs/.github/workflows/ci.yml',
    'workflows/.x.yml',
    'my.husky/a',
    '.github/CODEOWNERS',
    'xlefthook.yml',
    'lefthook.yml/x',
    'src/.codexrc',
  ])('are not %j', (path) => {
    expect(kindOf(path)).toBeNull();
  });

  it('are allowed by the name they have, hidden ones like others', () => {
    const allow = ['.github/workflows/**'];
    expect(kindOf('.github/workflows/.own.yml', allow)).toBeNull();
    expect(kindOf('.github/actions/own.yml', allow)).toBe('workflow_file');
    expect(kindOf('.GITHUB/workflows/own.yml', allow)).toBe('workflow_file');
    expect(kindOf('.github', allow)).toBe('workflow_file');
  });
});
