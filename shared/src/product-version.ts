import packageFacts from '../../package.json' with { type: 'json' };

/** The commit that a bundle was made of; the bundler puts it in, and sources that run as they are have none. */
declare const SWITCHYARD_COMMIT: string | undefined;

const commit = typeof SWITCHYARD_COMMIT === 'string' ? SWITCHYARD_COMMIT : '';

/**
 * What this program is: the version of package.json, and after a plus sign the commit that it was
 * built from, such as `0.1.0+ab1a567c` (`0.1.0+ab1a567c.dirty` with changes on top). The part after
 * the sign is semantic versioning's build metadata: it tells builds apart and puts none before another.
 */
export const productVersion: string =
  commit === '' ? packageFacts.version : `${packageFacts.version}+${commit}`;
