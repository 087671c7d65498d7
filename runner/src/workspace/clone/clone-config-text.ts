import type { ClonePlan } from './clone-plan.ts';

type Plan = Pick<ClonePlan, 'mirror' | 'baseBranch' | 'identity' | 'owner' | 'sparsePaths'>;

/**
 * Files change their owner after the checkout: without this the first `git status` inside would
 * read all of them again.
 */
const OWNED_SINCE = section('core', { checkStat: 'minimal', trustCtime: 'false' });

/** Configuration of a clone in addition to that of an empty repository. */
export function cloneConfigText(plan: Plan): string {
  const { mirror, baseBranch, identity, owner, sparsePaths } = plan;
  return [
    ...(sparsePaths === undefined
      ? []
      : [section('core', { sparseCheckout: 'true', sparseCheckoutCone: 'true' })]),
    ...(owner === null ? [] : [OWNED_SINCE]),
    section('user', { name: identity.name, email: identity.email }),
    section('remote "origin"', {
      url: mirror.url,
      tagOpt: '--no-tags',
      fetch: `+refs/heads/${baseBranch}:refs/remotes/origin/${baseBranch}`,
    }),
    section(`branch "${quoted(baseBranch)}"`, {
      remote: 'origin',
      merge: `refs/heads/${baseBranch}`,
    }),
  ].join('');
}

/**
 * Configuration by which `git submodule` in the surrounding clone knows a checked-out submodule.
 */
export function submoduleConfigText(name: string, url: string): string {
  return section(`submodule "${quoted(name)}"`, { active: 'true', url });
}

/** Configuration of a submodule's clone, whose remote has all its branches. */
export function submoduleCloneConfigText(
  plan: Pick<ClonePlan, 'identity' | 'owner'> & { url: string },
): string {
  const { identity, owner, url } = plan;
  return [
    ...(owner === null ? [] : [OWNED_SINCE]),
    section('user', { name: identity.name, email: identity.email }),
    section('remote "origin"', { url, fetch: '+refs/heads/*:refs/remotes/origin/*' }),
  ].join('');
}

function section(name: string, settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([key, value]) => `\t${key} = "${quoted(value)}"\n`);
  return `[${name}]\n${lines.join('')}`;
}

/** A quoted value for git's configuration; a line break in a name would begin another setting. */
function quoted(text: string): string {
  return text
    .replaceAll(/[\0\r]/g, '')
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);
}
