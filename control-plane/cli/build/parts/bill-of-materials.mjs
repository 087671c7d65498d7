/**
 * The package's content, and what npm installs beside it, as a CycloneDX bill of materials. Later
 * downloads of runners, such as agent engines, are not included.
 *
 * @param {{ name: string, version: string, license: string, dependencies: object }} manifest of the
 *   package
 * @param {{ name: string, version: string, license: string }[]} bundled what its programs contain
 * @param {{ packages: object }} lock package-lock.json of the checkout
 * @returns {object} the same for the same checkout: no date and no serial number
 */
export function billOfMaterials(manifest, bundled, lock) {
  const parts = [...bundled.map(library), ...installedPackages(manifest.dependencies, lock)];
  // A package may be both bundled and installed, and is listed once.
  const byRef = new Map(parts.map((part) => [part['bom-ref'], part]));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component('application', manifest) },
    components: [...byRef.values()].toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
}

/**
 * The dependencies and, recursively, theirs; npm installs optional ones only where they fit the
 * platform.
 */
function installedPackages(dependencies, { packages }) {
  const names = new Set(Object.keys(dependencies));
  const parts = [];
  // The loop also visits names that are added during it.
  for (const name of names) {
    const found = packages[`node_modules/${name}`];
    const scope = found.optional === true ? 'optional' : 'required';
    parts.push({ ...library({ ...found, name }), scope });
    for (const inner of Object.keys({ ...found.dependencies, ...found.optionalDependencies })) {
      names.add(inner);
    }
  }
  return parts;
}

function library(part) {
  return component('library', part);
}

function component(type, { name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type, 'bom-ref': purl, name, version, licenses: [{ expression: license }], purl };
}
