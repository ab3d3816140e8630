// The settings of the site: its lists, its search, and anchors as GitHub makes them, so that a link works in both places.

const headingId = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const first = ({ items }) => items[0].link;

export function siteConfig({ lists, out, base }) {
  const [start, , concepts, reference] = lists;
  return {
    base,
    outDir: out,
    logLevel: 'warn',
    title: 'Cadre',
    description: 'A folder of Markdown files is a team of agents.',
    // Files beside the pages; stage.mjs has seen that they are there.
    ignoreDeadLinks: [/^\/files\//],
    cleanUrls: false,
    metaChunk: true,
    markdown: {
      anchor: { slugify: headingId },
      // Braces in code are text, not expressions of the page.
      config: (md) => {
        md.renderer.rules.code_inline = (tokens, at) => `<code v-pre>${md.utils.escapeHtml(tokens[at].content)}</code>`;
      },
    },
    themeConfig: {
      nav: [
        { text: 'Start', link: first(start) },
        { text: 'Concepts', link: first(concepts.items[0]) },
        { text: 'Reference', link: first(reference) },
      ],
      sidebar: lists,
      search: { provider: 'local' },
      outline: { level: [2, 3] },
    },
  };
}
