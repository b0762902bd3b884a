import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: {ecmaVersion: 2023, sourceType: "module", globals: {...globals.browser, Plotly: "readonly"}},
    linterOptions: {reportUnusedDisableDirectives: "error"},
    rules: {
      eqeqeq: "error",
      "no-unused-vars": ["error", {argsIgnorePattern: "^_", ignoreRestSiblings: true}],
      "no-use-before-define": ["error", {functions: false, variables: false}],
      "no-var": "error",
      "prefer-const": ["error", {destructuring: "all"}],
      // A page taken home turns exports into what a function returns: declarations, of which none changes.
      "no-restricted-syntax": [
        "error",
        {selector: "ExportDefaultDeclaration", message: "export by name"},
        {selector: "ExportAllDeclaration", message: "export what is declared here"},
        {selector: "ExportNamedDeclaration[declaration=null]", message: "export where it is declared"},
        {selector: "ExportNamedDeclaration > VariableDeclaration[kind!='const']", message: "export constants only"},
        {selector: "ExportNamedDeclaration > VariableDeclaration[declarations.length>1]", message: "one export each"},
        {selector: "ImportDefaultSpecifier", message: "import by name"},
        {selector: "Program > :not(ImportDeclaration) ~ ImportDeclaration", message: "imports stand at the head"},
      ],
    },
  },
];
