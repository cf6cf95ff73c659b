/** What the tests use of mvdan-sh, which brings no types. */
declare module 'mvdan-sh' {
  interface Node {
    readonly Args?: readonly { Lit(): string }[];
    readonly Variant?: { readonly Value: string };
  }

  interface Syntax {
    readonly LangBash: number;
    Variant(language: number): unknown;
    NewParser(...options: unknown[]): { Parse(text: string, name: string): object };
    Walk(node: object, visit: (node: Node | null) => boolean): void;
    NodeType(node: Node): string;
  }

  const mvdan: { readonly syntax: Syntax };
  export = mvdan;
}
