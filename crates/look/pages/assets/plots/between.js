// Names of revisions that are no more than words wherever a command is pasted.
const REVISION = /^revision-([A-Za-z0-9][A-Za-z0-9.-]*)\.html$/;
// A commit with a patch is at the place of the commit.
const PATCHED = /^([0-9a-f]{12})\..*$/;

// Where a part of a history is shown: the command that measures the revisions between the first and the last of it.
const offerBetween = (plot) => {
  const offer = plot.figure.nextElementSibling;
  if (!offer?.matches(".between")) return;
  const points = plot.layers.flatMap(({ marks }) => marks).filter((mark) => mark.link && plot.boxOf(mark));
  const across = points.map(({ x }) => x);
  const [first, last] = [Math.min(...across), Math.max(...across)]
    .map((place) => REVISION.exec(points.find(({ x }) => x === place)?.link)?.[1].replace(PATCHED, "$1"));
  offer.hidden = plot.x.isWhole || first === last || !first || !last;
  offer.querySelector("code").textContent = `perflab history run HISTORY.toml --out DIR --fill ${first}..${last}`;
};

