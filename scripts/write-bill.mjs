// Writes what a bundle is made of: a bill of materials (CycloneDX), where scanners of packages and images look for one.
import fs from 'node:fs';

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Writes `dist/sbom.cdx.json` with the packages whose modules are in the output of rolldown. */
export function writeBill(output) {
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = [...new Set(ids.map((id) => PACKAGE.exec(id)?.[0]).filter(Boolean))];
  const components = folders.map(toComponent).toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  const component = { ...toComponent('.'), type: 'application' };
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components };
  fs.writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(bill, null, 1)}\n`);
}

function toComponent(folder) {
  const { name, version, license } = JSON.parse(fs.readFileSync(`${folder}/package.json`, 'utf8'));
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const licenses = license === undefined ? {} : { licenses: [{ expression: license }] };
  return { type: 'library', name, version, purl, 'bom-ref': purl, ...licenses };
}
