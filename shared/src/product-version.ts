import packageFacts from '../../package.json' with { type: 'json' };

/**
 * The commit that a bundle was built from; the bundler inserts it, and unbundled sources have none.
 */
declare const SWITCHYARD_COMMIT: string | undefined;

const commit = typeof SWITCHYARD_COMMIT === 'string' ? SWITCHYARD_COMMIT : '';

/**
 * This program's version: that of package.json, and after a plus sign the commit that it was built
 * from, such as `0.1.0+ab1a567c` (`0.1.0+ab1a567c.dirty` with uncommitted changes). The part after
 * the sign is build metadata of semantic versioning: it identifies builds and does not order them.
 */
export const productVersion: string =
  commit === '' ? packageFacts.version : `${packageFacts.version}+${commit}`;
