# snap header
% konect header
// ligra header
#
%%
   # indented
0 1
#x
1 2
