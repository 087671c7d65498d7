import { type HunkData, markEdits, tokenize } from 'react-diff-view';
import bash from 'refractor/bash';
import c from 'refractor/c';
import { refractor } from 'refractor/core';
import cpp from 'refractor/cpp';
import csharp from 'refractor/csharp';
import css from 'refractor/css';
import docker from 'refractor/docker';
import go from 'refractor/go';
import java from 'refractor/java';
import javascript from 'refractor/javascript';
import json from 'refractor/json';
import jsx from 'refractor/jsx';
import kotlin from 'refractor/kotlin';
import markdown from 'refractor/markdown';
import markup from 'refractor/markup';
import php from 'refractor/php';
import python from 'refractor/python';
import ruby from 'refractor/ruby';
import rust from 'refractor/rust';
import sql from 'refractor/sql';
import swift from 'refractor/swift';
import toml from 'refractor/toml';
import tsx from 'refractor/tsx';
import typescript from 'refractor/typescript';
import yaml from 'refractor/yaml';

// Colours code in a worker: an agent's text may make colouring run forever.
const LANGUAGES = [
  bash,
  c,
  cpp,
  csharp,
  css,
  docker,
  go,
  java,
  javascript,
  json,
  jsx,
  kotlin,
  markdown,
  markup,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  toml,
  tsx,
  typescript,
  yaml,
];
for (const language of LANGUAGES) refractor.register(language);

/** The viewer expects the nodes of a text, not their root. */
const highlighter = {
  highlight: (text: string, language: string) => refractor.highlight(text, language).children,
};

type Asked = { id: number; hunks: HunkData[]; language: string };

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  const { id, hunks, language } = data;
  const enhancers = [markEdits(hunks, { type: 'block' })];
  const options = {
    highlight: true as const,
    refractor: highlighter as never,
    language,
    enhancers,
  };
  postMessage({ id, tokens: tokenize(hunks, options) });
});
