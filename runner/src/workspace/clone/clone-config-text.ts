import type { ClonePlan } from './clone-plan.ts';

type Plan = Pick<ClonePlan, 'mirror' | 'baseBranch' | 'identity' | 'owner' | 'sparsePaths'>;

/**
 * Files change their owner after the checkout, which is no change of theirs: without this the first
 * status inside reads every one of them again.
 */
const OWNED_SINCE = section('core', { checkStat: 'minimal', trustCtime: 'false' });

/** What a clone's own configuration says beyond that of an empty repository. */
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

/** What makes `git submodule` in the clone around know a submodule that is checked out. */
export function submoduleConfigText(name: string, url: string): string {
  return section(`submodule "${quoted(name)}"`, { active: 'true', url });
}

/** Beyond an empty repository: the clone of a submodule, whose remote has all its branches. */
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

/** As git reads a value between quotes; a line break in a name would begin another setting. */
function quoted(text: string): string {
  return text
    .replaceAll(/[\0\r]/g, '')
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);
}
