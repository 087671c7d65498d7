import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { decodeEntities, safeLink } from './read-markdown.ts';

/** Elements that are nested deeper than this are shown as plain text. */
const DEPTH_MAX = 16;

type Nested = { tokens: readonly Token[]; depth: number };

/**
 * Draws parsed Markdown as elements, never as HTML: an element that is not listed here cannot be
 * created, whatever the text contains.
 */
export function TokensView({ tokens, depth }: Nested) {
  return tokens.map((token, position) => (
    <TokenView key={position} token={token as MarkedToken} depth={depth + 1} />
  ));
}

function TokenView({ token, depth }: { token: MarkedToken; depth: number }): ComponentChildren {
  if (depth > DEPTH_MAX) return token.raw;
  switch (token.type) {
    case 'space':
      return null;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'text':
      return token.tokens ? inner(token.tokens, depth) : decodeEntities(token.text);
    case 'escape':
      return token.text;
    case 'html':
    case 'def':
      // Text that only agents would see is shown to people too: comments, unused link targets.
      return token.raw;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case 'strong':
      return <strong>{inner(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{inner(token.tokens, depth)}</em>;
    case 'del':
      return <del>{inner(token.tokens, depth)}</del>;
    case 'paragraph':
      return <p>{inner(token.tokens, depth)}</p>;
    case 'blockquote':
      return <blockquote>{inner(token.tokens, depth)}</blockquote>;
    case 'heading':
      // A level below its section's heading, whatever its level in the text.
      return <h3 class={`level-${token.depth}`}>{inner(token.tokens, depth)}</h3>;
    case 'link':
      return <LinkView token={token} depth={depth} />;
    case 'image':
      return <LinkView token={{ ...token, tokens: [] }} depth={depth} />;
    case 'checkbox':
      return <input type="checkbox" checked={token.checked} disabled />;
    case 'list':
      return <ListView list={token} depth={depth} />;
    case 'list_item':
      return <li>{inner(token.tokens, depth)}</li>;
    case 'table':
      return <TableView table={token} depth={depth} />;
  }
}

function inner(tokens: readonly Token[], depth: number) {
  return <TokensView tokens={tokens} depth={depth} />;
}

/** Images become links too: loading one would reveal the reader to its server. */
function LinkView({
  token,
  depth,
}: {
  token: Pick<Tokens.Link, 'href' | 'text' | 'raw' | 'tokens'>;
  depth: number;
}) {
  const link = safeLink(token.href, location.origin);
  if (link === null) return token.raw;
  const text = token.tokens.length > 0 ? inner(token.tokens, depth) : token.text || link.href;
  return link.own ? (
    <a href={link.href}>{text}</a>
  ) : (
    <a href={link.href} title={link.href} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  );
}

function ListView({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = inner(list.items, depth);
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={list.start === '' ? 1 : list.start}>{items}</ol>;
}

function TableView({ table, depth }: { table: Tokens.Table; depth: number }) {
  return (
    <div class="table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, position) => (
              <th key={position}>{inner(cell.tokens, depth)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, position) => (
                <td key={position}>{inner(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
