// Plotly's script is loaded before the modules of the page.
declare const Plotly: any;
