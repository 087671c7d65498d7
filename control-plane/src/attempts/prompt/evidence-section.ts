import { MAX_ARTIFACT_BYTES, MAX_ARTIFACTS } from '@switchyard/shared/evidence/artifact';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { codeSpan } from '@switchyard/shared/text/code-fence';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';

/**
 * The prompt section that names the expected scope of changes and the folder for artifacts; empty
 * where the repository declares neither.
 */
export function evidenceSection({
  scope,
  artifacts,
}: Pick<AttemptSpec, 'scope' | 'artifacts'>): string {
  const parts = [
    ...(scope === undefined ? [] : [scopeText(scope)]),
    ...(artifacts === undefined ? [] : [artifactsText(artifacts)]),
  ];
  return parts.length === 0 ? '' : ['\n\n## Scope and evidence', ...parts].join('\n\n');
}

function scopeText(scope: readonly string[]): string {
  const globs = scope.map(codeSpan).join(', ');
  return `Keep your changes to ${globs}. Where others are needed, say why in your last message.`;
}

function artifactsText(folder: string): string {
  const limits = `at most ${MAX_ARTIFACTS} files, ${formatBytes(MAX_ARTIFACT_BYTES)} each`;
  return `Leave screenshots and other files that a reviewer should see in ${codeSpan(`${folder}/`)}; ${limits}. They are shown beside the pull request and are not to be committed; remove what no longer holds.`;
}
