// What eslint asks of the pages' scripts, which the report joins into one, and of the modules that test them.
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import js from '@eslint/js';
import globals from 'globals';

const folder = 'src/web';
const scripts = readdirSync(folder, {recursive: true})
  .filter((name) => name.endsWith('.js'))
  .map((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const declared = [...text.matchAll(/^(?:async function|function|const|let) (\w+)/gm)];
    return {name, text, declared: declared.map((match) => match[1])};
  });

/// What the other scripts declare may be used here, and what is declared here must be used somewhere.
function scriptRules({name, declared}) {
  const others = scripts.filter((other) => other.name !== name);
  const shared = others.flatMap((other) => other.declared).map((word) => [word, 'readonly']);
  const used = declared.filter((word) =>
    others.some((other) => new RegExp(`\\b${word}\\b`).test(other.text)),
  );
  return {
    files: [`${folder}/${name}`],
    languageOptions: {
      sourceType: 'script',
      globals: {...globals.browser, ...Object.fromEntries(shared)},
    },
    rules: {
      strict: ['error', 'global'],
      'no-redeclare': ['error', {builtinGlobals: false}],
      'no-unused-vars': [
        'error',
        {varsIgnorePattern: `^(${used.join('|')})$`, caughtErrors: 'none'},
      ],
    },
  };
}

export default [
  js.configs.recommended,
  {
    rules: {
      eqeqeq: 'error',
      'max-len': ['error', {code: 120, ignoreUrls: true}],
      'no-shadow': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {files: ['**/*.mjs'], languageOptions: {globals: globals.node}},
  {
    files: ['tests/browser/*.mjs', 'bench/history_site/*.mjs', 'bench/trace/*.mjs'],
    languageOptions: {globals: globals.browser},
  },
  ...scripts.map(scriptRules),
];
