import { existsSync } from 'node:fs';
import type { SystemPart } from '../system-part.ts';

/**
 * Whether GitHub's published OpenAPI description is at hand (`GITHUB_OPENAPI`: path of the file
 * `api.github.com.json` of the package @octokit/openapi). It is too large for a dependency.
 */
export function githubDescriptionPart(): SystemPart {
  const path = process.env.GITHUB_OPENAPI ?? '';
  if (path === '') return { available: false, reason: 'GITHUB_OPENAPI is not set' };
  if (!existsSync(path)) return { available: false, reason: `there is no file ${path}` };
  return { available: true, detail: path };
}
