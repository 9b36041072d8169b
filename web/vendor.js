// Copies the libraries that the pages use from node_modules, with their licences and types beside them.
import { readFileSync, writeFileSync } from "node:fs";

const target = new URL("../src/pagemill/entrypoints/web/static/vendor/", import.meta.url);

/** The text of a file in node_modules. @param {string} path */
function read(path) {
  return readFileSync(new URL(`node_modules/${path}`, import.meta.url), "utf8");
}

/** Writes a library as a module that browsers find without a map of names. @param {string} name @param {string} path */
function library(name, path) {
  const [folder] = path.split("/");
  const { version, license } = JSON.parse(read(`${folder}/package.json`));
  const code = read(path)
    .replace('from"preact"', 'from"./preact.mjs"')
    .replace(/\/\/# sourceMappingURL=.*/, "")
    .trimEnd();
  writeFileSync(
    new URL(`${name}.mjs`, target),
    `/* ${folder} ${version}, ${license}: see LICENSE-${folder} */\n${code}\n`,
  );
}

library("preact", "preact/dist/preact.mjs");
library("hooks", "preact/hooks/dist/hooks.mjs");
library("htm", "htm/dist/htm.mjs");
writeFileSync(new URL("preact.d.mts", target), 'export * from "preact";\n');
writeFileSync(new URL("hooks.d.mts", target), 'export * from "preact/hooks";\n');
writeFileSync(new URL("htm.d.mts", target), 'export { default } from "htm";\n');
for (const name of ["preact", "htm"]) {
  writeFileSync(new URL(`LICENSE-${name}`, target), read(`${name}/LICENSE`));
}
