interface SiteItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SiteItem[];
}

export function stagedSite(
  root: string,
  stage: string,
): { readonly pages: readonly string[]; readonly lists: readonly SiteItem[]; readonly problems: readonly string[] };
